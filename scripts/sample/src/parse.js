/**
 * Reads expenses from lines `date,category,amount`, the first line being the names of the columns.
 * Throws a RangeError that names the line when an amount is not a number.
 */
export function parseExpenses(text) {
  const [, ...lines] = text.trim().split(/\r?\n/);
  return lines.map((line, index) => {
    const [date, category, amount] = line.split(',').map((cell) => cell.trim());
    const value = Number(amount);
    if (!amount || Number.isNaN(value))
      throw new RangeError(`Line ${index + 2}: "${amount}" is not an amount`);
    return { date, category, amount: value };
  });
}
