import { Page } from "../../ui/page.tsx";

export function EditJobPage() {
  return <Page title="Edit job">{null}</Page>;
}
