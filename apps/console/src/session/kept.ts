const name = "tollgate.session"

/** How this tab was signed in, so that a reload signs in again. A key is never kept. */
export type Kept = "demo" | "oauth"

/** Storage can be turned off: then a reload asks again. */
const attempt = <A>(action: () => A): A | undefined => {
  try {
    return action()
  } catch {
    return undefined
  }
}

export const kept = (): Kept | undefined => {
  const value = attempt(() => sessionStorage.getItem(name))
  return value === "demo" || value === "oauth" ? value : undefined
}

export const keep = (by: string | undefined): void =>
  attempt(() => (by === "demo" || by === "oauth" ? sessionStorage.setItem(name, by) : sessionStorage.removeItem(name)))
