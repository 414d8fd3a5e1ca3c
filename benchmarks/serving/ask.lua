-- What wrk asks: a path in which {n} stands for a number up to a most, with a token; it ends with one line of JSON.
-- wrk -s ask.lua ADDRESS -- PATH MOST TOKEN [BODY]
local path, most, headers, method, body, whole

function init(args)
   path, most = args[1], tonumber(args[2])
   headers = { Authorization = "Bearer " .. args[3] }
   method, body = "GET", args[4]
   if body then
      method, headers["Content-Type"] = "POST", "application/json"
   end
   if not (path .. (body or "")):find("{n}", 1, true) then
      whole = wrk.format(method, path, headers, body)
   end
   math.randomseed(20261101)
end

function request()
   if whole then
      return whole
   end
   local number = string.format("%d", math.random(most))
   return wrk.format(method, (path:gsub("{n}", number)), headers, body and (body:gsub("{n}", number)))
end

function done(summary, latency, requests)
   local errors = summary.errors
   io.write(string.format(
      '\n{"requests": %d, "microseconds": %d, "p50": %d, "p99": %d, "failed": %d}\n',
      summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
      errors.connect + errors.read + errors.write + errors.status + errors.timeout
   ))
end
