-- Reads a part of a session's queue in the order of sequence numbers, and where the state stands that it is read from.
--
-- A message that lies apart is under the name that its member has, in the same slot. It may be handed to a connection now,
-- and what is in flight does not expire: Redis is not to let it go by itself any more. (Without a shebang line a script
-- that may write runs on a full Redis, too.)
--
-- Entries of other priorities than are wanted are passed over, by the members alone. What has no message, and so no size, has
-- the highest priority.
--
-- KEYS  1 position (hash)   2 the queue (sorted set)
-- ARGV  1 the lowest sequence number wanted, at least 0   2 the most entries, at least 1
--       3 stop when the messages have at least as many bytes, by the sizes in the members
--       4 the lowest and 5 the highest priority wanted   6 the most entries that are passed over
-- Returns the applied offset (-1: there is none), 1 if there are entries behind the last one that was looked at else 0, the
--         sequence number of that one (-1: there is none), then the members that are wanted, each that has its message apart
--         with that behind it, or nil if it is not there.
-- Errors  TRYAGAIN: a message is on another node, for the slot moves
-- Complexity  O(entries * log(queue)), and those that are passed over count, too; reads at most STEP - 1 members more than it
--         looks at, or, where it has passed over some, as many as it has looked at and LONGEST_STEP - 1. Passes over no more
--         than PASSED_BYTES of members, and one

local STEP = 8
local LONGEST_STEP = 100 -- behind entries that were passed over
local PASSED_BYTES = 1048576
local HIGHEST = 3

local PREFIX = KEYS[1]:sub(1, -6) -- the key without "shard"

local function message(member, kind)
  local at = 13 + kind % 2 * 7
  local key = PREFIX .. 'msg:' .. member:sub(at, at + 23)
  local found = redis.pcall('GET', key)
  if not found then
    -- Where a slot arrives, Redis takes a key that has not come yet for one that is not there, but refuses two of which
    -- one is not there.
    found = redis.pcall('EXISTS', key, KEYS[1])
    found = type(found) == 'table' and found
  end
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
local lowest, highest, maxPassed = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
local page = { applied, 0, '-1' }
local from = ARGV[1]
local entries, bytes, length = 0, 0, 3
local passed, passedBytes, step = 0, 0, STEP
while true do
  local found = redis.call('ZRANGE', KEYS[2], from, '+inf', 'BYSCORE', 'LIMIT', 0, step, 'WITHSCORES')
  for i = 1, #found, 2 do
    if entries > 0 and (entries >= maxEntries or bytes >= maxBytes) or passed >= maxPassed or passedBytes >= PASSED_BYTES then
      page[2] = 1
      return page
    end
    local member = found[i]
    local b1, b2, b3, b4, kind = member:byte(8, 12)
    local size = ((b1 * 256 + b2) * 256 + b3) * 256 + b4
    local priority = size == 0 and HIGHEST or math.floor(kind / 4) % 4
    if priority >= lowest and priority <= highest then
      bytes = bytes + size
      entries = entries + 1
      length = length + 1
      page[length] = member
      if kind % 4 >= 2 then
        length = length + 1
        page[length] = message(member, kind)
      end
    else
      passed = passed + 1
      passedBytes = passedBytes + #member
    end
    page[3] = found[i + 1]
    from = '(' .. found[i + 1]
  end
  if #found < 2 * step then
    return page
  end
  if passed > 0 then
    step = math.min(2 * step, LONGEST_STEP)
  end
end
