import type { Carrier } from "@tollgate/contract/carrier/Carrier"

/** A network in which these public https hosts are servers on this machine. All else is as it is. */
export const hostsOf =
  (ports: Readonly<Record<string, number>>) =>
  ({ carry }: Carrier["Service"]): Carrier["Service"] => ({
    carry: (outgoing) => {
      const { host, protocol } = new URL(outgoing.origin)
      const port = protocol === "https:" ? ports[host] : undefined
      return carry(port === undefined ? outgoing : { ...outgoing, origin: `http://127.0.0.1:${port}`, private: true })
    }
  })
