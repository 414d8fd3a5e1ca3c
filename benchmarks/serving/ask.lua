-- What wrk asks: a path and a body in which {n} stands for a number up to a most, and {next} for one that is asked once;
-- it ends with one line of JSON.
-- wrk -s ask.lua ADDRESS -- PATH MOST FIRST TOKEN [BODY]
local path, most, headers, method, body, whole
-- `following`, the next number, is global, so that done() can ask the thread for it.
local threads = {}

function setup(thread)
   threads[#threads + 1] = thread
end

function init(args)
   path, most, following = args[1], tonumber(args[2]), tonumber(args[3])
   headers = { Authorization = "Bearer " .. args[4] }
   method, body = "GET", args[5]
   if body then
      method, headers["Content-Type"] = "POST", "application/json"
   end
   local text = path .. (body or "")
   if not text:find("{n}", 1, true) and not text:find("{next}", 1, true) then
      whole = wrk.format(method, path, headers, body)
   end
   math.randomseed(20261101)
end

function request()
   if whole then
      return whole
   end
   local number, once = string.format("%d", math.random(most)), string.format("%d", following)
   following = following + 1
   local function named(text)
      return text and (text:gsub("{n}", number):gsub("{next}", once))
   end
   return wrk.format(method, named(path), headers, named(body))
end

function done(summary, latency, requests)
   local errors = summary.errors
   io.write(string.format(
      '\n{"requests": %d, "microseconds": %d, "p50": %d, "p99": %d, "failed": %d, "following": %d}\n',
      summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
      errors.connect + errors.read + errors.write + errors.status + errors.timeout,
      threads[1]:get("following")
   ))
end
