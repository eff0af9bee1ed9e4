#!lua flags=allow-oom
-- Deletes what there is of a shard of a generation that does not count, some of it a call: sessions with their queues, messages
-- that lie apart, queues that are gone, wills, and at the end where the state stood. Harmless when repeated.
--
-- KEYS  1 the shard's position (hash)
-- Returns 1 when nothing is left, 0 when it is to be called again
-- Complexity  O(PAGE), and a queue goes in one UNLINK

local PAGE = 500
local PREFIX = KEYS[1]:sub(1, -6) -- the key without "shard"

-- Deletes some fields of a hash and the keys that are named after them; whether none is left.
local function drop(hash, kind)
  local cursor = '0'
  repeat
    local page = redis.call('HSCAN', PREFIX .. hash, cursor, 'COUNT', PAGE)
    local fields = page[2]
    for i = 1, #fields, 2 do
      if kind then
        redis.call('UNLINK', PREFIX .. kind .. fields[i])
      end
      redis.call('HDEL', PREFIX .. hash, fields[i])
    end
    if #fields > 0 then
      return false
    end
    cursor = page[1]
  until cursor == '0'
  return true
end

if not (drop('sessions', 'queue:') and drop('references', 'msg:')) then
  return { 0 }
end
local gone = redis.call('ZRANGE', PREFIX .. 'gone', 0, PAGE - 1)
for _, name in ipairs(gone) do
  redis.call('UNLINK', PREFIX .. 'gone:' .. name)
  redis.call('ZREM', PREFIX .. 'gone', name)
end
if #gone > 0 then
  return { 0 }
end
redis.call('UNLINK', PREFIX .. 'wills', KEYS[1])
return { 1 }
