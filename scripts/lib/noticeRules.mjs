// Whose work the project uses, and whether NOTICE says so. Pure.

/**
 * Packages that users or readers of the project get: what the published packages need at run
 * time, and what the examples are made with. Tools of development are not among them.
 *
 * @param manifests path and content of each package.json
 * @returns name and path of the manifest that asks for it
 */
export function usedPackages(manifests) {
  const own = new Set(manifests.map(({ manifest }) => manifest.name));
  const used = new Map();
  for (const { path, manifest } of manifests) {
    const kinds = [manifest.dependencies, manifest.optionalDependencies, manifest.peerDependencies];
    if (path.startsWith("examples/")) kinds.push(manifest.devDependencies);
    for (const name of kinds.flatMap((kind) => Object.keys(kind ?? {}))) {
      if (!own.has(name) && !used.has(name)) used.set(name, path);
    }
  }
  return used;
}

/**
 * Every used package has a line `- name: licence` in NOTICE, with the licence that it declares,
 * and every such line is about a used package.
 *
 * @param notice text of NOTICE
 * @param used packages by name, see usedPackages
 * @param licenceOf the licence that the installed package declares; undefined if not installed
 */
export function checkNotice(notice, used, licenceOf) {
  const written = new Map();
  for (const [index, line] of notice.split("\n").entries()) {
    const entry = /^- (@?[\w./-]+): (.+)$/.exec(line);
    if (entry !== null) written.set(entry[1], { licence: entry[2], line: index + 1 });
  }
  const findings = [];
  for (const [name, path] of used) {
    const licence = licenceOf(name);
    const entry = written.get(name);
    if (licence === undefined) {
      findings.push({ path, message: `${name} is not installed: run npm ci` });
    } else if (entry === undefined) {
      findings.push({ path, message: `${name} is not in NOTICE: add "- ${name}: ${licence}"` });
    } else if (entry.licence !== licence) {
      const message = `${name} is under ${licence}, not ${entry.licence}`;
      findings.push({ path: "NOTICE", line: entry.line, message });
    }
  }
  for (const [name, { line }] of written) {
    if (!used.has(name))
      findings.push({ path: "NOTICE", line, message: `${name} is not used: delete it` });
  }
  return findings;
}
