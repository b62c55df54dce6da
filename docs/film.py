"""Frames of a folder as one moving picture (GIF), for docs/pictures.sh: python film.py FOLDER FILE."""

import pathlib
import sys

from PIL import Image

folder, target = sys.argv[1:]
frames = [Image.open(path).convert("RGB") for path in sorted(pathlib.Path(folder).glob("*.png"))]
# One palette for all frames, so that what rests does not flicker.
palette = frames[len(frames) // 2].quantize(colors=64)
pictures = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
pictures[0].save(target, save_all=True, append_images=pictures[1:], duration=60, loop=0, optimize=True)
print(f"{target}: {len(frames)} frames, {pathlib.Path(target).stat().st_size} bytes")
