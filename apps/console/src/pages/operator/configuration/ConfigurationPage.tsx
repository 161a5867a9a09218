import { Page } from "../../../ui/Page.tsx"

export const ConfigurationPage = () => <Page title="Configuration">…</Page>
