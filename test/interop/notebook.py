"""Runs a notebook from its first cell to its last in a kernel of its own, and prints what its cells printed as JSON.

    python notebook.py NOTEBOOK

An error in a cell ends it with 1 and the traceback.
"""

import json
import sys

import nbformat
from nbclient import NotebookClient

notebook = nbformat.read(sys.argv[1], as_version=4)
nbformat.validate(notebook)
NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
print(
    json.dumps(
        [
            {
                "text": "".join(each.get("text", "") for each in cell.outputs),
                "shown": [kind for each in cell.outputs for kind in each.get("data", {})],
            }
            for cell in cells
        ]
    )
)
