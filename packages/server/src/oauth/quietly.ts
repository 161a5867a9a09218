const isNotice = (text: unknown): boolean => typeof text === "string" && text.includes("oidc-provider ")

/** Runs what prints notices of `oidc-provider`, without them: they are for its developers. */
export const quietly = async <A>(run: () => Promise<A>): Promise<A> => {
  const { info, warn } = console
  const unlessNotice =
    (print: typeof info): typeof info =>
    (...args) =>
      isNotice(args[0]) ? undefined : print(...args)
  console.info = unlessNotice(info)
  console.warn = unlessNotice(warn)
  try {
    return await run()
  } finally {
    console.info = info
    console.warn = warn
  }
}
