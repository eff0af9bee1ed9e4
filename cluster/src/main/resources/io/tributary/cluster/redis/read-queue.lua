#!lua flags=no-writes
-- Reads a part of a session's queue in the order of sequence numbers, and where the state stands that it is read from.
--
-- KEYS  1 position (hash)   2 the queue (sorted set)
-- ARGV  1 the lowest sequence number wanted   2 the most entries, at least 1
--       3 stop when the messages have at least as many bytes, by the sizes in the members
-- Returns the applied offset (-1: there is none), 1 if there are entries behind the last one else 0, then the members.
-- Complexity  O(entries * log(queue)); reads at most STEP - 1 members more than it returns

local STEP = 8

local applied = redis.call('HGET', KEYS[1], 'applied') or '-1'
local maxEntries, maxBytes = tonumber(ARGV[2]), tonumber(ARGV[3])
local page = { applied, 0 }
local from = ARGV[1]
local entries, bytes = 0, 0
while true do
  local found = redis.call('ZRANGE', KEYS[2], from, '+inf', 'BYSCORE', 'LIMIT', 0, STEP, 'WITHSCORES')
  for i = 1, #found, 2 do
    if entries > 0 and (entries >= maxEntries or bytes >= maxBytes) then
      page[2] = 1
      return page
    end
    local member = found[i]
    local b1, b2, b3, b4 = member:byte(8, 11)
    bytes = bytes + ((b1 * 256 + b2) * 256 + b3) * 256 + b4
    entries = entries + 1
    page[entries + 2] = member
    from = '(' .. found[i + 1]
  end
  if #found < 2 * STEP then
    return page
  end
end
