/** How tools are called in text. The native protocol needs none of it. */
export function toolUse(): string {
  return `# Calling tools

A call is the tool's name as an XML tag with each parameter as a tag inside it:

<tool_name>
<parameter>value</parameter>
</tool_name>

- One call a message, at its end. Its result comes as the next message; wait for it before you go on.
- Use exactly these tags and close every one. Values are taken as they are: never escape <, > or &.
- Do not put a call into a code fence.`;
}
