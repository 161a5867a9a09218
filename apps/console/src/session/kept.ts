/** An account and the operator sign in apart. */
export type Who = "account" | "operator"

/** How somebody signed in. */
export type SignedInBy = "key" | "demo" | "oauth"

/** Which session this browser has, and how it began. What opens it is in a cookie that no script can read. */
export interface Kept {
  readonly id: string
  readonly by: SignedInBy
}

const names = { account: "tollgate.session", operator: "tollgate.operator" }

/** Storage can be turned off: then what is kept in it lasts until the page is left. */
export const attempt = <A>(action: () => A): A | undefined => {
  try {
    return action()
  } catch {
    return undefined
  }
}

const decode = (text: string | null): Kept | undefined => {
  const [, id, by] = /^(\w+) (key|demo|oauth)$/.exec(text ?? "") ?? []
  return id === undefined ? undefined : { id, by: by as SignedInBy }
}

export const kept = (who: Who): Kept | undefined => attempt(() => decode(localStorage.getItem(names[who])))

export const keep = (who: Who, { by, id }: Kept): void => attempt(() => localStorage.setItem(names[who], `${id} ${by}`))

/** Another tab may have begun another session, which stays. */
export const forget = (who: Who, id: string): void => {
  if (kept(who)?.id === id) attempt(() => localStorage.removeItem(names[who]))
}

/** Calls this when another tab signed in or out. Returns what ends it. */
export const onOtherTab = (who: Who, listener: (kept: Kept | undefined) => void): (() => void) => {
  const heard = ({ key }: StorageEvent) => {
    // No key: everything was removed.
    if (key === names[who] || key === null) listener(kept(who))
  }
  addEventListener("storage", heard)
  return () => removeEventListener("storage", heard)
}
