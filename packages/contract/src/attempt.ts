/** What `read` returns. `undefined`: it threw. */
export const attempt = <A>(read: () => A): A | undefined => {
  try {
    return read()
  } catch {
    return undefined
  }
}
