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
--       5 1: the values alone, as one string
-- Returns the next cursor (0: this was the last page), the process, the number of entries, then fields and values, or
-- the string: a page of sessions, which have their names in them, would be thousands of small strings.
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
local page = { cursor, process, 0 }
local areAlone = ARGV[5] == '1'
local parts, length = areAlone and {} or page, areAlone and 0 or 3
local step = areAlone and 2 or 1 -- of a field and its value the second, or both
local entries, bytes, steps = 0, 0, 0
repeat
  local found = redis.call('HSCAN', KEYS[1], cursor, 'COUNT', STEP)
  cursor = found[1]
  local list = found[2]
  for i = step, #list, step do
    length = length + 1
    parts[length] = list[i]
    bytes = bytes + #list[i]
  end
  entries = entries + #list / 2
  steps = steps + 1
until cursor == '0' or entries >= maxEntries or bytes >= maxBytes or steps >= MAX_STEPS
page[1], page[3] = cursor, entries
if areAlone then
  page[4] = table.concat(parts)
end
return page
