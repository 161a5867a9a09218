type Headers = Readonly<Record<string, string>>

const names = ["content-encoding", "content-language", "last-modified", "etag", "x-should-retry"]

/** The caller gets only those of an upstream's headers that describe the body, and its word to SDKs on retrying. */
export const answerHeaders = (headers: Headers): Headers => {
  const kept: Record<string, string> = {}
  for (const name of names) if (headers[name] !== undefined) kept[name] = headers[name]
  return kept
}
