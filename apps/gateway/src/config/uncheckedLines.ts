const mostLines = 100

/** What people are told of the parts of schemas that the gateway does not check. */
export const uncheckedLines = (unchecked: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (unchecked.length === 0) return []
  const rest = unchecked.length - mostLines
  return [
    "Not checked, because a value could take long; the upstream decides:",
    ...unchecked.slice(0, mostLines).map((line) => `  ${line}`),
    ...(rest > 0 ? [`  and ${rest} more`] : [])
  ]
}
