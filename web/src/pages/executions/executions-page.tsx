import { Page } from "../../ui/page.tsx";

export function ExecutionsPage() {
  return <Page title="Executions">{null}</Page>;
}
