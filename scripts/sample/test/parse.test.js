import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseExpenses } from '../src/parse.js';

test('reads one expense a line', () => {
  assert.deepEqual(parseExpenses('date,category,amount\n2026-01-04, food, 9.50\n'), [
    { date: '2026-01-04', category: 'food', amount: 9.5 },
  ]);
});

test('names the line whose amount is not a number', () => {
  assert.throws(() => parseExpenses('date,category,amount\n2026-01-04,food,nine\n'), /Line 2: "nine"/);
});
