/** How a mode is written, for the model. The example is a whole file that works. */
export function createMode(): string {
  return `# Write a mode

A mode gives the model a role, and the groups of tools that go with it. Modes of this project stand in \`.lathe/modes.yaml\`. Read that file first: where it is there, add your mode to its list and leave the others as they are; where it is not, write it whole, like this:

\`\`\`yaml
customModes:
  - slug: docs-writer
    name: Docs Writer
    description: Write and mend the documentation
    roleDefinition: |-
      You are Lathe, a technical writer: you read the code before you describe it,
      and write for someone who has five minutes.
    whenToUse: Writing, correcting or restructuring documentation.
    customInstructions: |-
      Check every command and every path that you write down.
    groups:
      - read
      - - edit
        - fileRegex: \\.(md|mdx)$
          description: Markdown files only
      - command
\`\`\`

- slug: letters, digits and dashes; it is how the mode is called. Do not take one that exists, unless the person wants that mode replaced: they are asked before it counts.
- name, roleDefinition, groups: required. whenToUse says when to switch to it, description is for the person's menu.
- groups: read, edit, browser, command, mcp; each once, and only those that the role needs. An empty list is a mode that can only talk and hand over.
- fileRegex: a JavaScript regular expression, tested on the path of every file that an edit touches, relative to the project, with /. Without it every file may be edited.
- Rules for this mode alone are Markdown files in \`.lathe/rules-<slug>/\`.

The file counts as soon as it is saved. What is wrong with it is shown to the person with its line; then the mode is missing from the list that switch_mode takes.
`;
}
