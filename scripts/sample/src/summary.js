/** Totals by category, the most expensive category first. */
export function summarize(expenses) {
  const totals = new Map();
  for (const { category, amount } of expenses) totals.set(category, (totals.get(category) ?? 0) + amount);
  return [...totals]
    .map(([category, total]) => ({ category, total: Math.round(total * 100) / 100 }))
    .sort((a, b) => a.total - b.total);
}
