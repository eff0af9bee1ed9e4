#!lua flags=no-writes
-- Reads a part of a shard's sessions or wills. What is there from the first page to the last comes at least once, whatever the
-- shard's owner changes meanwhile; something may come twice when the hash shrinks meanwhile.
--
-- A cursor means nothing to another Redis process, for each orders its hashes differently; so a page names its process, and
-- the next page is refused by any other: after a fail-over or a restart the caller begins again.
--
-- KEYS  1 sessions or wills (hash)
-- ARGV  1 the cursor, 0 for the first page   2 the process that it is from, empty for the first page
--       3 the most entries   4 the most bytes; a page is over these by no more than one step
-- Returns the next cursor (0: this was the last page), the process, then fields and values.
-- Errors  RESTART <process>: the cursor is of another process
-- Complexity  O(entries of the page), at most some 10 * STEP buckets of the hash for each of MAX_STEPS

local STEP = 50
local MAX_STEPS = 40

local process = redis.call('INFO', 'server'):match('run_id:(%x+)')
if ARGV[2] ~= '' and ARGV[2] ~= process then
  return redis.error_reply('RESTART ' .. process)
end

local cursor = ARGV[1]
local maxEntries, maxBytes = tonumber(ARGV[3]), tonumber(ARGV[4])
local page = { cursor, process }
local length, bytes, steps = 2, 0, 0
repeat
  local found = redis.call('HSCAN', KEYS[1], cursor, 'COUNT', STEP)
  cursor = found[1]
  for _, part in ipairs(found[2]) do
    length = length + 1
    page[length] = part
    bytes = bytes + #part
  end
  steps = steps + 1
until cursor == '0' or length - 2 >= 2 * maxEntries or bytes >= maxBytes or steps >= MAX_STEPS
page[1] = cursor
return page
