type Headers = Readonly<Record<string, string>>

const passed = ["content-encoding", "content-language", "content-disposition", "last-modified", "etag"]

/** Of an upstream's headers, only what describes the body goes to the caller. */
export const passOn = (headers: Headers): Headers => {
  const kept: Record<string, string> = {}
  for (const name of passed) if (headers[name] !== undefined) kept[name] = headers[name]
  return kept
}
