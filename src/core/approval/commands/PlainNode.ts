import type { Node } from 'web-tree-sitter';

/** A node of tree-sitter's as plain data. Each property of its own nodes is a call into wasm; the readers ask for each many times. */
export interface PlainNode {
  type: string;
  isNamed: boolean;
  /** Positions in the text, in UTF-16 units. */
  startIndex: number;
  endIndex: number;
  text: string;
  children: PlainNode[];
}

type Kind = Pick<PlainNode, 'type' | 'isNamed'>;

/** The whole tree below a node. Without recursion, however deep the text is nested. `kinds` is what is known of the grammar already. */
export function plainNode(root: Node, text: string, kinds: Map<number, Kind>): PlainNode {
  const plain = (node: Node): PlainNode => {
    const { typeId, startIndex, endIndex } = node;
    let kind = kinds.get(typeId);
    if (!kind) kinds.set(typeId, (kind = { type: node.type, isNamed: node.isNamed }));
    const { type, isNamed } = kind;
    return { type, isNamed, startIndex, endIndex, text: text.slice(startIndex, endIndex), children: [] };
  };
  const whole = plain(root);
  const waiting: [Node, PlainNode][] = [[root, whole]];
  for (let pair = waiting.pop(); pair; pair = waiting.pop()) {
    const [node, { children }] = pair;
    for (const child of node.children) {
      const copy = plain(child);
      children.push(copy);
      waiting.push([child, copy]);
    }
  }
  return whole;
}
