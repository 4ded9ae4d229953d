"""The bill of materials is valid SPDX 2.3 as far as its fields and relations go, and names what the program loads."""
import json
import os
import pathlib
import re
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Sbom(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        done = subprocess.run([ROOT / 'scripts/sbom', os.environ['NEARDUP']], text=True, capture_output=True, check=True)
        cls.document = json.loads(done.stdout)

    def test_the_document_has_the_required_fields(self):
        document = self.document
        self.assertEqual((document['spdxVersion'], document['dataLicense'], document['SPDXID']),
                         ('SPDX-2.3', 'CC0-1.0', 'SPDXRef-DOCUMENT'))
        self.assertTrue(document['name'])
        self.assertRegex(document['documentNamespace'], r'^https://[^#]+$')
        self.assertRegex(document['creationInfo']['created'], r'^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$')
        self.assertRegex(document['creationInfo']['creators'][0], '^Tool: ')

    def test_each_package_has_the_required_fields_and_an_id_of_its_own(self):
        packages = self.document['packages']
        for package in packages:
            self.assertRegex(package['SPDXID'], r'^SPDXRef-[A-Za-z0-9.-]+$')
            self.assertTrue(package['name'] and package['downloadLocation'] and package['versionInfo'])
        self.assertEqual(len({package['SPDXID'] for package in packages}), len(packages))

    def test_each_licence_is_of_spdx_or_declared(self):
        declared = {each['licenseId'] for each in self.document['hasExtractedLicensingInfos']}
        for package in self.document['packages']:
            for licence in package['licenseDeclared'].split(' AND '):
                self.assertRegex(licence, r'^[A-Za-z0-9.-]+$')
                if licence.startswith('LicenseRef-'):
                    self.assertIn(licence, declared)

    def test_each_relation_is_between_known_elements_and_each_package_has_one(self):
        known = {package['SPDXID'] for package in self.document['packages']} | {'SPDXRef-DOCUMENT'}
        related = set()
        for relation in self.document['relationships']:
            ends = {relation['spdxElementId'], relation['relatedSpdxElement']}
            self.assertLessEqual(ends, known)
            self.assertIn(relation['relationshipType'], ('DESCRIBES', 'DYNAMIC_LINK', 'BUILD_DEPENDENCY_OF'))
            related |= ends
        self.assertEqual(related, known)
        self.assertIn({'spdxElementId': 'SPDXRef-DOCUMENT', 'relationshipType': 'DESCRIBES',
                       'relatedSpdxElement': 'SPDXRef-neardup'}, self.document['relationships'])

    def test_it_names_the_libraries_and_the_build_packages(self):
        links = {relation['relatedSpdxElement'] for relation in self.document['relationships']
                 if relation['relationshipType'] == 'DYNAMIC_LINK'}
        self.assertIn('SPDXRef-librdkafka1', links)
        names = {package['name'] for package in self.document['packages']}
        rows = (ROOT / 'scripts/packages.debian').read_text()
        self.assertLessEqual(set(re.findall(r'^build +(\S+)', rows, re.M)), names)


if __name__ == '__main__':
    unittest.main()
