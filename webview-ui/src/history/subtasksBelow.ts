import type { TaskSummary } from '../../../src/shared/protocol.ts';

export interface ListedTask {
  task: TaskSummary;
  /** It stands below its parent. */
  below: boolean;
}

/** The tasks with their subtasks below them, the first begun first; a subtask whose parent is not among them stands for itself. */
export function subtasksBelow(tasks: readonly TaskSummary[]): readonly ListedTask[] {
  const ids = new Set(tasks.map(({ id }) => id));
  const children = new Map<string, TaskSummary[]>();
  const first: TaskSummary[] = [];
  for (const task of tasks)
    if (task.parent === undefined || !ids.has(task.parent)) first.push(task);
    else children.set(task.parent, [...(children.get(task.parent) ?? []), task]);
  const listed = (task: TaskSummary, below: boolean): ListedTask[] => [
    { task, below },
    ...(children.get(task.id) ?? [])
      .toSorted((a, b) => a.createdAt - b.createdAt)
      .flatMap((child) => listed(child, true)),
  ];
  return first.flatMap((task) => listed(task, false));
}
