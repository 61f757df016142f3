"""Keeps a copy of every list with dlt (docs/connect/warehouses.md): additions, changes and deletions."""

import os

import dlt
from dlt.sources.rest_api import rest_api_source

# The lists, and the columns that are only sent on request: the ids that join the lists.
LISTS = {
    "members": "",
    "teams": "",
    "activity": "sender_id,receiver_id,category_id",
    "categories": "",
    "rewards": "external_id",
    "day-ratings": "team_name",
    "pulse-responses": "question_id",
}

# Sorts before every cursor. The API calls the beginning "start", which would sort behind them.
BEGINNING = "0"


def resource(path, include):
    return {
        "name": path.replace("-", "_"),
        "primary_key": "id",
        "write_disposition": "merge",
        "columns": {
            # A row that says deleted is deleted in the copy.
            "deleted": {"data_type": "bool", "hard_delete": True},
            # A pulse answer is any JSON value.
            **({"value": {"data_type": "json"}} if path == "pulse-responses" else {}),
        },
        "max_table_nesting": 0,
        "endpoint": {
            "path": f"{path}/changes",
            "params": {"limit": 1000, **({"include": include} if include else {})},
            "incremental": {
                "start_param": "after",
                "cursor_path": "cursor",
                "initial_value": BEGINNING,
                "convert": lambda cursor: "start" if cursor == BEGINNING else cursor,
                "row_order": "asc",
            },
        },
    }


source = rest_api_source(
    {
        "client": {
            "base_url": os.environ["PUBLIC_API_URL"].rstrip("/") + "/",
            "auth": {
                "type": "api_key",
                "name": "X-API-Key",
                # Python's error about a line break in a header would print the key.
                "api_key": "".join(os.environ["PUBLIC_API_KEY"].split()),
                "location": "header",
            },
            "paginator": "header_link",
        },
        "resources": [resource(path, include) for path, include in LISTS.items()],
    }
)

if __name__ == "__main__":
    pipeline = dlt.pipeline(pipeline_name="public_data_api", destination="duckdb", dataset_name="public_data_api")
    print(pipeline.run(source))
