# Every list of the public data API, whole, as CSV files (programs.md).
param([string[]] $Lists = @("members", "teams", "activity", "categories", "rewards", "day-ratings", "pulse-responses"))
$ErrorActionPreference = "Stop"
$ProgressPreference = "SilentlyContinue"
[Net.ServicePointManager]::SecurityProtocol = [Net.ServicePointManager]::SecurityProtocol -bor [Net.SecurityProtocolType]::Tls12
# UTF-8 with a byte-order mark, by which Excel knows it.
$Utf8 = if ($PSVersionTable.PSEdition -eq "Core") { "utf8BOM" } else { "UTF8" }

# The columns that are only sent on request: the ids that join the lists.
$Include = @{
    "activity" = "sender_id,receiver_id,category_id"
    "rewards" = "external_id"
    "day-ratings" = "team_name"
    "pulse-responses" = "question_id"
}

# The rows of one request, and whether there are more. Retries while the API is busy: six requests at most. As CSV, because Windows PowerShell
# reads JSON that does not name its character set as Latin-1.
function Read-Page([string] $List, [hashtable] $Parameters) {
    $query = ($Parameters.GetEnumerator() | ForEach-Object { "$($_.Key)=$([Uri]::EscapeDataString($_.Value))" }) -join "&"
    if ($Include[$List]) { $query = "include=$($Include[$List])&$query" }
    for ($try = 1; ; $try++) {
        try {
            # Followed, a redirect would carry the key to another host.
            $answer = Invoke-WebRequest -UseBasicParsing -MaximumRedirection 0 -TimeoutSec 60 `
                -Uri "$($env:PUBLIC_API_URL.TrimEnd('/'))/${List}?format=csv&limit=1000&$query" `
                -Headers @{ "X-API-Key" = $env:PUBLIC_API_KEY.Trim() }
            if ($answer.StatusCode -ne 200) { throw "$($answer.StatusCode): the address redirects" }
            return @{
                Rows = @($answer.Content | ConvertFrom-Csv)
                More = "$($answer.Headers["X-Has-More"])" -ne "false"
            }
        }
        catch {
            $response = $_.Exception.Response
            if ($null -eq $response) { throw }
            $status = [int] $response.StatusCode
            if (($status -ne 429 -and $status -lt 500) -or $try -eq 6) { throw }
            # The exception and its headers are of other types in PowerShell 7. Either gives a text, which may also be a date.
            $wait = if ($response -is [Net.HttpWebResponse]) { $response.Headers["Retry-After"] } else { "$($response.Headers.RetryAfter)" }
            $seconds = if ($wait -match "^[0-9]{1,9}$") { [int] $wait } else { [Math]::Pow(2, $try - 1) }
            Start-Sleep -Seconds ([Math]::Min($seconds, 120))
        }
    }
}

# Every row of a list, newest first.
function Read-List([string] $List, [hashtable] $Filters = @{}) {
    $page = Read-Page $List $Filters
    $page.Rows
    while ($page.More) {
        $last = $page.Rows[-1]
        $time = if ($last.timestamp) { $last.timestamp } else { $last.created_at }
        $page = Read-Page $List ($Filters + @{ starting_after = "${time}_$($last.id)" })
        $page.Rows
    }
}

foreach ($list in $Lists) {
    Read-List $list | Export-Csv -NoTypeInformation -Encoding $Utf8 -Path "$list.csv.part"
    Move-Item -Force "$list.csv.part" "$list.csv"
}
