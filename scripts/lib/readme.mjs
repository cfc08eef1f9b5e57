// The README as the page of an installed extension can show it: VS Code shows no picture there that is not on the web, and follows no
// relative link. (With a public address of the repository in package.json, vsce could rewrite both instead.)

/**
 * Leaves out paragraphs that begin with a relative picture, and leaves only the words of relative links.
 * @param {string} readme
 * @returns {string}
 */
export function packagedReadme(readme) {
  return readme
    .replace(/^!\[[^\]]*\]\((?![a-z]+:)[^]*?\n\n/gm, '')
    .replace(/\[([^\]]*)\]\((?![a-z]+:)[^)\s]+\)/g, '$1');
}
