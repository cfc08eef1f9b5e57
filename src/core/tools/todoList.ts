import type { TodoItem } from '../../shared/tools.ts';
import { ToolError } from './ToolError.ts';

/** More steps are no plan that a person can follow. */
const MOST_STEPS = 200;
const ITEM = /^\s*(?:[-*]|\d+\.)?\s*\[([ xX~-])\]\s+(.+?)\s*$/;

/** A checklist's steps, one a line. @throws ToolError for a line that is none, and for too many */
export function todoList(text: string): TodoItem[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  if (lines.length > MOST_STEPS)
    throw new ToolError(
      `The list has ${lines.length} steps; it holds up to ${MOST_STEPS}. Put small steps together.`,
    );
  return lines.map((line): TodoItem => {
    const match = ITEM.exec(line);
    if (!match)
      throw new ToolError(
        `This line is no step: '${line.trim().slice(0, 100)}'. Write each step as [ ] text, [-] text or [x] text.`,
      );
    const mark = (match[1] ?? ' ').toLowerCase();
    return {
      text: match[2] ?? '',
      status: mark === 'x' ? 'completed' : mark === ' ' ? 'pending' : 'in_progress',
    };
  });
}
