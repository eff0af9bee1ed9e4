-- Policies that HAProxy has not. How long a node takes to answer is the time of its last health check:
-- a connection, CONNECT and CONNACK, in milliseconds.

local smoothed = {}

local function answer_time(stats)
  return tonumber(stats.check_duration) or 0
end

-- Over some seconds, so that one slow answer changes little.
core.register_task(function()
  while true do
    core.msleep(500)
    for name, server in pairs(core.backends["nodes"].servers) do
      local stats = server:get_stats()
      if stats.check_duration then
        local now = answer_time(stats)
        smoothed[name] = (smoothed[name] or now) * 0.8 + now * 0.2
      end
    end
  end
end)

-- The node of the smallest cost, and of the smallest second one among those. Without a node that is up HAProxy goes by
-- its line "balance".
local function choose(costs)
  local best, first, second
  for name, server in pairs(core.backends["nodes"].servers) do
    local stats = server:get_stats()
    if stats.status:sub(1, 2) == "UP" then
      local one, two = costs(name, stats)
      if not best or one < first or one == first and two < second then
        best, first, second = name, one, two
      end
    end
  end
  return best or ""
end

-- The fewest connections; where several nodes have as few, the one whose check took the shortest time.
core.register_fetches("least_response_time", function(txn)
  return choose(function(name, stats)
    return stats.scur, answer_time(stats)
  end)
end)

-- Connections, which weigh the more the longer the node takes to answer: twice as much at 10 ms, thrice at 20.
core.register_fetches("hybrid", function(txn)
  return choose(function(name, stats)
    local time = smoothed[name] or answer_time(stats)
    return (stats.scur + 1) * (10 + time), time
  end)
end)
