"""Frames of a folder as one moving picture (GIF), for docs/pictures.sh: python film.py FOLDER FILE."""

import pathlib
import sys

from PIL import Image

SIZE = (250, 190)

folder, target = sys.argv[1:]
frames = [Image.open(path).convert("RGB") for path in sorted(pathlib.Path(folder).glob("*.png"))]
# The middle alone, where the top is.
left, top = (frames[0].width - SIZE[0]) // 2, (frames[0].height - SIZE[1]) // 2 - 8
frames = [frame.crop((left, top, left + SIZE[0], top + SIZE[1])) for frame in frames]
# One palette for all frames, so that what rests does not flicker; made of the top and little else.
sample = Image.new("RGB", (8 * 120, 120))
for k in range(8):
    middle = frames[k * len(frames) // 8].crop((65, 35, 185, 155))
    sample.paste(middle, (120 * k, 0))
palette = sample.quantize(colors=96, method=Image.Quantize.MAXCOVERAGE, kmeans=3)
pictures = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
pictures[0].save(target, save_all=True, append_images=pictures[1:], duration=60, loop=0, optimize=True)
print(f"{target}: {len(frames)} frames, {pathlib.Path(target).stat().st_size} bytes")
