import assert from 'node:assert/strict';
import { test } from 'node:test';
import { summarize } from '../src/summary.js';

const expenses = [
  { date: '2026-01-04', category: 'food', amount: 9.5 },
  { date: '2026-01-05', category: 'travel', amount: 120 },
  { date: '2026-01-09', category: 'food', amount: 31.25 },
];

test('adds up each category, the most expensive first', () => {
  assert.deepEqual(summarize(expenses), [
    { category: 'travel', total: 120 },
    { category: 'food', total: 40.75 },
  ]);
});

test('an empty list has no totals', () => {
  assert.deepEqual(summarize([]), []);
});
