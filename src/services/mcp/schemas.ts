import type { jsonSchemaValidator } from '@modelcontextprotocol/client';

let validators: Promise<jsonSchemaValidator> | undefined;

/**
 * What is wrong with a value by a JSON schema; undefined when nothing is. `unusable` when the schema itself cannot be used (a dialect
 * that nobody knows, a reference that leads elsewhere): such a schema proves nothing. References are never fetched.
 */
export async function violations(
  schema: Readonly<Record<string, unknown>>,
  value: unknown,
): Promise<{ violations: string | undefined } | { unusable: string }> {
  // The compiler of schemas is large: it is loaded when a call is first made.
  validators ??= import('@modelcontextprotocol/client/validators/ajv').then(
    ({ AjvJsonSchemaValidator }) => new AjvJsonSchemaValidator(),
  );
  const compiler = await validators;
  try {
    const result = compiler.getValidator(schema)(value);
    return { violations: result.valid ? undefined : result.errorMessage };
  } catch (error) {
    return { unusable: error instanceof Error ? error.message : String(error) };
  }
}
