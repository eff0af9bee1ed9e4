-- Reads a part of a session's queue in the order of sequence numbers, and where the state stands that it is read from.
--
-- A message that lies apart is under the name that its member has, in the same slot. It may be handed to a connection now,
-- and what is in flight does not expire: Redis is not to let it go by itself any more. (Without a shebang line a script
-- that may write runs on a full Redis, too.)
--
-- KEYS  1 position (hash)   2 the queue (sorted set)
-- ARGV  1 the lowest sequence number wanted, at least 0   2 the most entries, at least 1
--       3 stop when the messages have at least as many bytes, by the sizes in the members
-- Returns the applied offset (-1: there is none), 1 if there are entries behind the last one else 0, then the members, each
--         that has its message apart with that behind it, or nil if it is not there.
-- Errors  TRYAGAIN: a message is on another node, for the slot moves
-- Complexity  O(entries * log(queue)); reads at most STEP - 1 members more than it returns

local STEP = 8

local PREFIX = KEYS[1]:sub(1, -6) -- the key without "shard"

local function message(member, kind)
  local at = 13 + kind % 2 * 7
  local key = PREFIX .. 'msg:' .. member:sub(at, at + 23)
  local found = redis.pcall('GET', key)
  if type(found) == 'table' then
    error({ err = 'TRYAGAIN ' .. found.err })
  end
  if found and kind % 2 == 1 then
    redis.call('PERSIST', key)
  end
  return found
end

local applied = redis.call('HGET', KEYS[1], 'applied') or '-1'
local maxEntries, maxBytes = tonumber(ARGV[2]), tonumber(ARGV[3])
local page = { applied, 0 }
local from = ARGV[1]
local entries, bytes, length = 0, 0, 2
while true do
  local found = redis.call('ZRANGE', KEYS[2], from, '+inf', 'BYSCORE', 'LIMIT', 0, STEP, 'WITHSCORES')
  for i = 1, #found, 2 do
    if entries > 0 and (entries >= maxEntries or bytes >= maxBytes) then
      page[2] = 1
      return page
    end
    local member = found[i]
    local b1, b2, b3, b4, kind = member:byte(8, 12)
    bytes = bytes + ((b1 * 256 + b2) * 256 + b3) * 256 + b4
    entries = entries + 1
    length = length + 1
    page[length] = member
    if kind >= 2 then
      length = length + 1
      page[length] = message(member, kind)
    end
    from = '(' .. found[i + 1]
  end
  if #found < 2 * STEP then
    return page
  end
end
