import { readFileSync } from 'node:fs';
import { parseExpenses } from './parse.js';
import { summarize } from './summary.js';

const path = process.argv[2];
if (!path) {
  console.error('Usage: node src/main.js FILE');
  process.exit(2);
}
for (const { category, total } of summarize(parseExpenses(readFileSync(path, 'utf8'))))
  console.log(`${category.padEnd(12)} ${total.toFixed(2).padStart(10)}`);
