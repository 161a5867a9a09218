/** Every environment variable that the gateway and its commands read, one on each line. README.md describes them. */
export const variables = [
  "TOLLGATE_ADMIN_TOKEN",
  "TOLLGATE_BASE_URL",
  "TOLLGATE_BOOTSTRAP_KEY",
  "TOLLGATE_CONFIG",
  "TOLLGATE_DATA",
  "TOLLGATE_DEAD_SECONDS",
  "TOLLGATE_DRAIN_SECONDS",
  "TOLLGATE_HOST",
  "TOLLGATE_LIMITS_FALLBACK",
  "TOLLGATE_LOG_CALLS",
  "TOLLGATE_LOG_FORMAT",
  "TOLLGATE_LOG_LEVEL",
  "TOLLGATE_METRICS_HOST",
  "TOLLGATE_METRICS_PORT",
  "TOLLGATE_METRICS_TOKEN",
  "TOLLGATE_PORT",
  "TOLLGATE_READER_SECONDS",
  "TOLLGATE_REDIS",
  "TOLLGATE_SECRET",
  "TOLLGATE_SHUTDOWN_SECONDS",
  "TOLLGATE_STORE",
  "TOLLGATE_TRACE_CALLERS",
  "TOLLGATE_TRUSTED_PROXIES"
] as const

export type VariableName = (typeof variables)[number]

/** Not settings of the gateway, but of programs that may run in the same environment: the client reads its key here. */
export const ofOtherPrograms: ReadonlyArray<string> = ["TOLLGATE_KEY"]

/** Names of other gateways' settings, which are likely mistakes. The start is refused with what to do instead. */
export const refusedVariables = {
  TOLLGATE_DATABASE_URL: "set TOLLGATE_STORE instead, and unset it",
  TOLLGATE_REDIS_URL: "set TOLLGATE_REDIS instead, and unset it"
} as const
