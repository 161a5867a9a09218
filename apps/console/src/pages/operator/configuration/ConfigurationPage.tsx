import { checkConfiguration, configuration, reloadConfiguration } from "@tollgate/client/admin"
import type { ConfigurationCheck } from "@tollgate/contract/admin/Configuration"
import { useLoad } from "@tollgate/react"
import { useState } from "react"
import { Button } from "../../../ui/Button.tsx"
import { ErrorNotice } from "../../../ui/ErrorNotice.tsx"
import { Page } from "../../../ui/Page.tsx"
import { Skeleton } from "../../../ui/Skeleton.tsx"
import { Failure } from "../parts/Failure.tsx"
import { Form, FormDialog } from "../parts/FormDialog.tsx"
import { useChange } from "../parts/useChange.ts"
import { InForce } from "./InForce.tsx"
import { Verdict, type VerdictProps } from "./Verdict.tsx"

const load = configuration()

/** The configuration file: what is in force, whether the file is valid now, and putting it in force. */
export const ConfigurationPage = () => {
  const { error, refresh, value } = useLoad(load, { every: "15 seconds" })
  const check = useChange()
  const reload = useChange()
  const [confirms, setConfirms] = useState(false)
  const [verdict, setVerdict] = useState<VerdictProps>()
  const close = () => setConfirms(false)
  const told = (of: VerdictProps["of"]) => (answer: ConfigurationCheck) => {
    setVerdict({ of, answer })
    close()
    refresh()
  }
  const hasFile = value?.file != null
  return (
    <Page
      title="Configuration"
      lead="The file stays the source. Check it after a change, then put it in force."
      actions={
        hasFile ? (
          <>
            <Button
              busy={check.busy}
              disabled={check.busy}
              onClick={() => check.run(checkConfiguration(), told("check"))}
            >
              Check the file
            </Button>
            <Button kind="main" onClick={() => setConfirms(true)}>
              Reload
            </Button>
          </>
        ) : undefined
      }
    >
      <FormDialog title="Reload the configuration" open={confirms} change={reload} onClose={close}>
        <Form
          change={reload}
          onClose={close}
          onSubmit={() => reload.run(reloadConfiguration(), told("reload"))}
          submit="Reload"
        >
          <p>New calls use the file as it is now. Calls under way finish with the old configuration.</p>
          <p>If the file has an error, nothing changes.</p>
        </Form>
      </FormDialog>
      {check.error === undefined ? null : <ErrorNotice error={check.error} />}
      {verdict === undefined ? null : <Verdict {...verdict} />}
      {error === undefined ? null : <Failure error={error} retry={refresh} />}
      {value === undefined ? error === undefined ? <Skeleton lines={4} /> : null : <InForce configuration={value} />}
    </Page>
  )
}
