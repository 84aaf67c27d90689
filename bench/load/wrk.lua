-- Sends the requests of a file repeatedly, and prints the result as one line of JSON. A line of the file is a
-- method, a path, and an optional JSON body, with tabs between them. Argument: the file. Each thread starts at another line.
local threads = 0
local requests = {}
local position = 0

function setup(thread)
  thread:set("index", threads)
  threads = threads + 1
end

function init(arguments)
  for line in io.lines(arguments[1]) do
    local method, path, body = line:match('^([^\t]*)\t([^\t]*)\t?(.*)$')
    if body == '' then body = nil end
    local headers = body and { ['Content-Type'] = 'application/json' } or nil
    requests[#requests + 1] = wrk.format(method, path, headers, body)
  end
  position = index * 7919 % #requests
end

function request()
  position = position % #requests + 1
  return requests[position]
end

function done(summary, latency)
  local errors = summary.errors
  print(string.format(
    'RESULT {"requests":%d,"seconds":%.6f,"p50":%.3f,"p99":%.3f,"errors":%d}',
    summary.requests, summary.duration / 1e6,
    latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end
