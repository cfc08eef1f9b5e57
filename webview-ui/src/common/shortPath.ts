/** The path as seen from the folder; paths outside of it stay whole. */
export function shortPath(path: string, root: string | undefined): string {
  if (root === undefined || root === '' || path.length <= root.length + 1) return path;
  const separator = path.charAt(root.length);
  return path.startsWith(root) && (separator === '/' || separator === '\\')
    ? path.slice(root.length + 1)
    : path;
}

/** The last part of a path. */
export function baseName(path: string): string {
  return path.split(/[\\/]/).findLast((part) => part !== '') ?? path;
}

/** `%20` and the like as the characters that they stand for. */
export function decodePath(path: string): string {
  return path.replace(/%[0-9a-f]{2}(?:%[0-9a-f]{2})*/gi, (bytes) => {
    try {
      return decodeURIComponent(bytes);
    } catch (error) {
      // Not UTF-8: the name holds a percent sign of its own.
      if (error instanceof URIError) return bytes;
      throw error;
    }
  });
}
