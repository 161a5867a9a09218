/** Parses a query string. `undefined`: its encoding is invalid. Of duplicate names the first counts. */
export const parseQuery = (text: string): Map<string, string> | undefined => {
  const parameters = new Map<string, string>()
  if (text === "") return parameters
  try {
    for (const part of text.split("&")) {
      if (part === "") continue
      const at = part.indexOf("=")
      const name = decodeURIComponent((at === -1 ? part : part.slice(0, at)).replaceAll("+", " "))
      const value = at === -1 ? "" : decodeURIComponent(part.slice(at + 1).replaceAll("+", " "))
      if (!parameters.has(name)) parameters.set(name, value)
    }
    return parameters
  } catch {
    return undefined
  }
}
