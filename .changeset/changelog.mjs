/** All packages have one version, so a changelog lists what changed and not which dependencies did. */
export default {
  getReleaseLine: ({ summary }) =>
    `- ${summary
      .split("\n")
      .map((line, index) => (index === 0 || line === "" ? line : `  ${line}`))
      .join("\n")}`,
  getDependencyReleaseLine: () => ""
}
