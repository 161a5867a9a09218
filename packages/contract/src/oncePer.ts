/** Makes a value once for each key, and keeps it as long as the key lives. */
/* @__NO_SIDE_EFFECTS__ */
export const oncePer = <K extends object, A>(make: (key: K) => A): ((key: K) => A) => {
  const known = new WeakMap<K, A>()
  return (key) => {
    const found = known.get(key)
    if (found !== undefined || known.has(key)) return found as A
    const made = make(key)
    known.set(key, made)
    return made
  }
}
