# Every list of the public data API, whole, as CSV files (programs.md).
library(httr2)
library(readr)

# The columns that are only sent on request: the ids that join the lists.
include <- list(
  activity = "sender_id,receiver_id,category_id", rewards = "external_id", `day-ratings` = "team_name", `pulse-responses` = "question_id"
)

# The rows of a CSV file, or of a text in I(): every cell is text, "NA" too.
read_text <- function(csv) read_csv(csv, col_types = cols(.default = "c"), na = character(), trim_ws = FALSE)

# The rows of one request, and whether there are more. Retries while the API is busy, after the seconds of Retry-After: six requests at most.
ask <- function(path, ...) {
  answer <- request(Sys.getenv("PUBLIC_API_URL")) |>
    req_url_path_append(path) |>
    req_url_query(include = include[[path]], ..., format = "csv", limit = 1000) |>
    req_auth_bearer_token(trimws(Sys.getenv("PUBLIC_API_KEY"))) |>
    req_options(followlocation = FALSE) |>
    req_retry(max_tries = 6, is_transient = function(response) resp_status(response) == 429 || resp_status(response) >= 500) |>
    req_error(is_error = function(response) resp_status(response) != 200, body = function(response) resp_body_string(response)) |>
    req_perform()
  list(rows = read_text(I(resp_body_string(answer, "UTF-8"))), more = !identical(resp_header(answer, "X-Has-More"), "false"))
}

# Every row of a list, newest first.
whole <- function(path, ...) {
  page <- ask(path, ...)
  pages <- list(page$rows)
  while (page$more) {
    last <- tail(page$rows, 1)
    time <- last[[intersect(c("timestamp", "created_at"), names(last))]]
    page <- ask(path, ..., starting_after = paste0(time, "_", last$id))
    pages <- c(pages, list(page$rows))
  }
  do.call(rbind, pages)
}

save_csv <- function(rows, file) {
  part <- paste0(file, ".part")
  write_csv(rows, part)
  invisible(file.rename(part, file))
}

if (sys.nframe() == 0) {
  for (list in c("members", "teams", "activity", "categories", "rewards", "day-ratings", "pulse-responses"))
    save_csv(whole(list), paste0(list, ".csv"))
}
