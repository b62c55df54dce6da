import json
import re
import urllib.error
import urllib.request

import pytest

import stickslip


def news(lab):
    with urllib.request.urlopen(f"{lab.url}news?since=0") as answer:
        return json.load(answer)


def test_a_scene_opens_in_the_lab(top, monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    with top.lab() as lab:
        assert opened == [lab.url] and re.fullmatch(r"http://127\.0\.0\.1:\d+/[0-9a-f]{32}/", lab.url)
        assert news(lab)["name"] == "tippe-top"
        with pytest.raises(urllib.error.HTTPError):
            urllib.request.urlopen(lab.url[:-4] + "000/")
        assert "<iframe" in lab._repr_html_() and lab.is_running
    assert not lab.is_running and "ended" in repr(lab)


def test_values_that_were_changed_are_those_of_the_lab(top, monkeypatch, capsys):
    monkeypatch.setattr("webbrowser.open", lambda _url: False)
    top["parameters.mass"] = 0.0071
    with top.lab() as lab:
        assert lab.url in capsys.readouterr().out
        found = {knob["key"]: knob for knob in news(lab)["knobs"]}
        assert found["parameters.mass"]["value"] == 0.0071


def test_a_scene_from_a_file_is_opened_as_that_file(tmp_path, monkeypatch):
    monkeypatch.setattr("webbrowser.open", lambda _url: True)
    file = tmp_path / "ball.toml"
    file.write_text("[[body]]\nname = 'ball'\nmass = 1\n[[body.shape]]\nkind = 'sphere'\nradius = 0.1\n")
    with stickslip.load(file).lab() as lab:
        assert news(lab)["file"] == "ball.toml"


def test_a_scene_with_functions_has_no_lab(top):
    with pytest.raises(stickslip.SceneError, match="functions of Python"):
        top.force(lambda t, q, u: [0.0] * len(u)).lab()
