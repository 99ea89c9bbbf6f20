"""An example of each verb, for its help."""

from __future__ import annotations

EXAMPLES = {
    "resolve": 'corelax resolve --text "Ann said she left."\ncorelax resolve story.txt --out story.html',
    "serve": "corelax serve --port 8080",
    "compare": "corelax compare story.txt small runs/own",
    "export": "corelax export runs/own/metric",
    "score": "corelax score gold.conll system.conll",
    "errors": "corelax errors gold.conll system.conll --examples 3",
    "stats": "corelax stats train.conll dev.conll",
    "convert": "corelax convert gold.conll gold.jsonl",
    "validate": "corelax validate train.conll dev.conll",
    "features": "corelax features dev.conll --train train.conll -o features.jsonl",
    "synth": "corelax synth train.conll --documents 50 --seed 1",
    "completion": 'corelax completion bash >> ~/.bashrc\neval "$(corelax completion zsh)"',
    "train": "corelax train --train train.conll --dev dev.conll --config lea --out runs/first",
    "sweep": "corelax sweep --train train.conll --dev dev.conll --config lea --seeds 3 "
    "--out runs/sweep",
    "reproduce": "corelax reproduce --quick",
}
