import type { TaskContext } from '../../src/core/tools/TaskContext.ts';

type Method = (...args: unknown[]) => unknown;

/**
 * The same context, whose every method calls `onStep` right before and right after it works; so do those of its parts. What is handed the
 * signal does not begin once that has fired, as what it stands for would not.
 */
export function stepwise(context: TaskContext, onStep: () => void, signal: AbortSignal): TaskContext {
  return wrapped(context, onStep, signal);
}

/** Plain facts, which have no steps. */
const FACTS = new Set<PropertyKey>([
  'signal',
  'settings',
  'mode',
  'model',
  'system',
  'failedInMessage',
  'doneInMessage',
  'background',
]);

function wrapped<T extends object>(target: T, onStep: () => void, signal: AbortSignal): T {
  return new Proxy(target, {
    get(_target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (FACTS.has(key)) return value;
      if (typeof value === 'function') return stepping(value.bind(target) as Method, onStep, signal);
      return typeof value === 'object' && value !== null && !Array.isArray(value)
        ? wrapped(value, onStep, signal)
        : value;
    },
  });
}

function stepping(method: Method, onStep: () => void, signal: AbortSignal): Method {
  return (...args) => {
    onStep();
    if (signal.aborted && args.some((one) => hands(one, signal)))
      return Promise.reject(signal.reason as Error);
    const result = method(...args);
    if (!(result instanceof Promise)) return result;
    return result.finally(onStep);
  };
}

function hands(argument: unknown, signal: AbortSignal): boolean {
  return (
    argument === signal ||
    (typeof argument === 'object' && argument !== null && 'signal' in argument && argument.signal === signal)
  );
}
