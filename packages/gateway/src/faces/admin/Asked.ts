/** Who asks the admin API, as far as a record tells it. */
export interface Asked {
  readonly requestId: string
  readonly address: string | undefined
}
