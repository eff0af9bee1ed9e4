#!lua flags=no-writes
-- Finds what has expired in a part of a session's queue, by the members alone.
--
-- KEYS  1 position (hash)   2 the queue (sorted set)
-- ARGV  1 the lowest sequence number wanted, at least 0   2 the time in ms   3 the most entries to look at, at least 1
-- Returns the applied offset (-1: there is none), 1 if there are entries behind the last one else 0, the sequence number of the
--         last one (-1: there is none), then the heads of the members that have expired.
-- Complexity  O(entries * log(queue)); reads at most STEP - 1 members more than it looks at

local STEP = 100
local HEAD = 19 -- the bytes before what is of one kind only

local applied = redis.call('HGET', KEYS[1], 'applied') or '-1'
local now, left = tonumber(ARGV[2]), tonumber(ARGV[3])
local page = { applied, 0, '-1' }
local from = ARGV[1]
local length = 3
while true do
  local found = redis.call('ZRANGE', KEYS[2], from, '+inf', 'BYSCORE', 'LIMIT', 0, STEP, 'WITHSCORES')
  for i = 1, #found, 2 do
    if left == 0 then
      page[2] = 1
      return page
    end
    left = left - 1
    page[3] = found[i + 1]
    from = '(' .. found[i + 1]
    if found[i]:byte(12) % 2 == 1 then
      local expires = 0
      for b = 13, HEAD do
        expires = expires * 256 + found[i]:byte(b)
      end
      if expires <= now then
        length = length + 1
        page[length] = found[i]:sub(1, HEAD)
      end
    end
  end
  if #found < 2 * STEP then
    return page
  end
end
