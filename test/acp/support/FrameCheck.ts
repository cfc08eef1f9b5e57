import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import schema from '@agentclientprotocol/sdk/schema/v1/schema.json' with { type: 'json' };

interface Definition {
  'x-side'?: string;
  'x-method'?: string;
}

/** The agent's frames against the protocol's own JSON schema: by the method that is called, or that was asked. */
export class FrameCheck {
  /** What was wrong, with the frame. */
  readonly problems: string[] = [];
  checked = 0;
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
  readonly #validators = new Map<string, ValidateFunction>();
  /** Requests of the client: id → method. */
  readonly #asked = new Map<unknown, string>();

  constructor() {
    this.#ajv.addSchema(schema, 'acp');
  }

  /** A frame of the client's, for the answer that it will get. */
  sent(frame: Record<string, unknown>): void {
    if (typeof frame.method === 'string' && 'id' in frame) this.#asked.set(frame.id, frame.method);
  }

  /** A line of the agent's standard output. */
  line(line: string): void {
    this.checked++;
    let frame: Record<string, unknown>;
    try {
      frame = JSON.parse(line) as Record<string, unknown>;
    } catch (error) {
      this.problems.push(`no frame: ${line} (${String(error)})`);
      return;
    }
    if (frame.jsonrpc !== '2.0') this.problems.push(`no JSON-RPC 2.0: ${line}`);
    const known = ['jsonrpc', 'id', 'method', 'params', 'result', 'error'];
    const strange = Object.keys(frame).filter((key) => !known.includes(key));
    if (strange.length > 0) this.problems.push(`unknown keys ${strange.join(', ')}: ${line}`);
    if (typeof frame.method === 'string') this.#params(frame.method, frame.params, line);
    else if ('error' in frame) this.#check('Error', frame.error, line);
    else this.#result(frame, line);
  }

  #params(method: string, params: unknown, line: string): void {
    const definition =
      named('client', method, /(Request|Notification)$/) ?? named('protocol', method, /Notification$/);
    if (definition === undefined) {
      this.problems.push(`unknown method ${method}: ${line}`);
      return;
    }
    this.#check(definition, params, line);
    if (method === 'session/update')
      this.#check('SessionUpdate', (params as { update?: unknown }).update, line);
  }

  #result({ id, result }: Record<string, unknown>, line: string): void {
    const method = this.#asked.get(id);
    const definition = method === undefined ? undefined : named('agent', method, /Response$/);
    if (definition === undefined) this.problems.push(`an answer that nobody asked for: ${line}`);
    else this.#check(definition, result, line);
  }

  /** Nothing may be added to what the schema names, save below `_meta`. */
  #check(definition: string, value: unknown, line: string): void {
    let validate = this.#validators.get(definition);
    if (!validate) {
      validate = this.#ajv.compile({
        $ref: `acp#/$defs/${definition}`,
        unevaluatedProperties: false,
      });
      this.#validators.set(definition, validate);
    }
    if (validate(value)) return;
    this.problems.push(`${definition}: ${this.#ajv.errorsText(validate.errors)}: ${line.slice(0, 500)}`);
  }
}

function named(side: string, method: string, name: RegExp): string | undefined {
  const definitions = Object.entries(schema.$defs as Record<string, Definition>);
  return definitions.find(
    ([key, definition]) =>
      definition['x-side'] === side && definition['x-method'] === method && name.test(key),
  )?.[0];
}
