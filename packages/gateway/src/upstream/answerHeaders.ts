type Headers = Readonly<Record<string, string>>

const names = ["content-encoding", "content-language", "last-modified", "etag"]

/** The caller gets only those of an upstream's headers that describe the body. */
export const answerHeaders = (headers: Headers): Headers => {
  const kept: Record<string, string> = {}
  for (const name of names) if (headers[name] !== undefined) kept[name] = headers[name]
  return kept
}
