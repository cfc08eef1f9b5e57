import type {
  ChatMessage,
  ChatToolCall,
  SessionRows,
  SpawnedTask,
  ToolConversationRow,
} from '../../shared/chat.ts';
import type { TaskSummary } from '../../shared/protocol.ts';

/** Rows as a client lists them: calls under the assistant's message that answers theirs. */
export function messagesOf(
  { messages, toolConversations, spawnedTasks }: SessionRows,
  running: boolean,
  tasks: readonly TaskSummary[],
): ChatMessage[] {
  const calls = new Map<number, ToolConversationRow[]>();
  for (const row of toolConversations) calls.set(row.message_id, [...(calls.get(row.message_id) ?? []), row]);
  const spawned = new Map(spawnedTasks.map(({ toolConversationId, taskId }) => [toolConversationId, taskId]));
  return messages.map(({ id, session_id, role, content, created_at, answers }) => ({
    ...{ id, session_id, role, content, created_at },
    tool_calls: (answers === null ? [] : (calls.get(answers) ?? [])).map((row) =>
      toolCallOf(row, running, spawnedTaskOf(spawned.get(row.id), tasks)),
    ),
  }));
}

function toolCallOf(row: ToolConversationRow, running: boolean, spawned: SpawnedTask | null): ChatToolCall {
  const { id, tool_name, result, error, duration_ms } = row;
  return {
    id,
    name: tool_name,
    arguments: JSON.parse(row.arguments) as Record<string, unknown>,
    result,
    error,
    status: statusOf(row, running),
    duration: duration_ms,
    spawn_task: spawned,
  };
}

function statusOf(
  { result, error, duration_ms }: ToolConversationRow,
  running: boolean,
): ChatToolCall['status'] {
  if (error !== null) return 'error';
  if (result !== null) return 'success';
  return running && duration_ms === null ? 'running' : 'unknown';
}

function spawnedTaskOf(taskId: string | undefined, tasks: readonly TaskSummary[]): SpawnedTask | null {
  const task = tasks.find(({ id }) => id === taskId);
  return task ? { id: task.id, title: task.title, mode: task.mode, status: task.state } : null;
}
